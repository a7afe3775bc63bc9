// Preloaded into a process under test: notes every attempt to reach, or to name, a host beyond loopback, and refuses it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void note(const char *call, const char *target) {
  const char *file = getenv("CONNECTIONS_LOG");
  if (file == NULL) return;
  int log = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (log < 0) return;
  dprintf(log, "%s %s\n", call, target);
  close(log);
}

/** Writes where `address` leads into `text`; returns 0 for loopback, and for sockets that stay on the machine. */
static int is_beyond(const struct sockaddr *address, char *text, size_t size) {
  if (address == NULL) return 0;
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    inet_ntop(AF_INET, &v4->sin_addr, text, size);
    return (ntohl(v4->sin_addr.s_addr) >> 24) != 127;
  }
  if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    inet_ntop(AF_INET6, &v6->sin6_addr, text, size);
    return !IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) && strncmp(text, "::ffff:127.", 11) != 0;
  }
  return 0;
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_beyond(address, text, sizeof text)) {
    note("connect", text);
    errno = ENETUNREACH;
    return -1;
  }
  int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
  return real(socket, address, length);
}

ssize_t sendto(int socket, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_beyond(address, text, sizeof text)) {
    note("sendto", text);
    errno = ENETUNREACH;
    return -1;
  }
  ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "sendto");
  return real(socket, data, size, flags, address, length);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  if (name != NULL && strcmp(name, "localhost") != 0 && strncmp(name, "127.", 4) != 0 && strcmp(name, "::1") != 0) {
    note("getaddrinfo", name);
    return EAI_FAIL;
  }
  int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
  return real(name, service, hints, found);
}
