import { generate } from "selfsigned";

/** A certificate authority that nobody trusts yet, and a certificate for this machine that it has signed; all PEM. */
export interface Authority {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

let authority: Promise<Authority> | undefined;

/** Made at the first use and kept as long as the process: its keys never leave it. */
export function authorityOfThisProcess(): Promise<Authority> {
  authority ??= makeAuthority();
  return authority;
}

async function makeAuthority(): Promise<Authority> {
  const root = await generate([{ name: "commonName", value: "Hostile server's authority" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    ca: { key: root.private, cert: root.cert },
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 2, value: "behind-proxy.test" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  return { ca: root.cert, key: leaf.private, cert: leaf.cert };
}
