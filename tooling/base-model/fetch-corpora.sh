#!/bin/sh
# Downloads the three Debian packages that hold the training text and unpacks them (nothing is installed).
# Usage: ./fetch-corpora.sh DIR     then pass DIR/root to the Python scripts as --corpora.
set -eu
target="${1:?usage: fetch-corpora.sh DIR}"
mkdir -p -- "$target/deb" "$target/root"
# Makes the path absolute, since apt-get downloads into the working directory, which must change for it.
target="$(CDPATH='' cd -- "$target" && pwd)"
cd "$target/deb"
apt-get download scowl wordnet-base r-cran-janeaustenr
for package in *.deb; do
  dpkg-deb --extract "./$package" "$target/root"
done
