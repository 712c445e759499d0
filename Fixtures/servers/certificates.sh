#!/usr/bin/env bash
# Makes, in a folder: an authority (ca.pem), a good certificate for localhost and 127.0.0.1 (good.pem, good.key), one
# that has expired (expired.pem), and one of nobody's (self.pem).
set -euo pipefail
cd "$1"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=Test authority" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout ca.key -out ca.pem 2>/dev/null
printf '%s\n' "subjectAltName=DNS:localhost,IP:127.0.0.1" "extendedKeyUsage=serverAuth" >extensions
: >index.txt
printf '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\ncertificate=ca.pem\nprivate_key=ca.key
rand_serial=yes\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n' >ca.conf
for name in good expired; do
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=localhost" \
        -keyout $name.key -out $name.csr 2>/dev/null
done
openssl ca -batch -config ca.conf -extfile extensions -days 30 -in good.csr -out good.pem 2>/dev/null
openssl ca -batch -config ca.conf -extfile extensions -startdate 20200101000000Z -enddate 20210101000000Z \
    -in expired.csr -out expired.pem 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=localhost" \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout self.key -out self.pem 2>/dev/null
