// OpenSSL 3 (Debian: libssl-dev). Macros, which Swift cannot call, have functions here.
#ifndef GREENROOM_COPENSSL_H
#define GREENROOM_COPENSSL_H

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

static inline int gr_ssl_require_tls(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int gr_ssl_set_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

// Pieces may be written from other memory when they are tried again, and what went out is counted.
static inline void gr_ssl_write_pieces(SSL *ssl) {
    SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}

static inline unsigned long gr_ssl_last_error(void) { return ERR_peek_last_error(); }

static void gr_ssl_look_for_end(const SSL *ssl, int where, int value) {
    if ((where & SSL_CB_READ_ALERT) != SSL_CB_READ_ALERT || (value & 0xff) != SSL_AD_CLOSE_NOTIFY) return;
    int *note = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    if (note != NULL) *note = 1;
}

// Sets `note` to 1 when the other side says that nothing follows. It must outlive the connections of `context`.
static inline void gr_ssl_note_end(void *context, int *note) {
    SSL_CTX_set_app_data((SSL_CTX *)context, note);
    SSL_CTX_set_info_callback((SSL_CTX *)context, gr_ssl_look_for_end);
}

static inline int gr_bio_pending(BIO *bio) { return (int)BIO_ctrl_pending(bio); }

static inline X509 *gr_x509_read(const char *pem, int length) {
    BIO *bio = BIO_new_mem_buf(pem, length);
    if (bio == NULL) return NULL;
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    return certificate;
}

// A new key on P-256; null if there is none.
static inline EVP_PKEY *gr_p256_make(void) { return EVP_EC_gen("P-256"); }

// The private number of a key, in 32 bytes.
static inline int gr_p256_private(EVP_PKEY *key, unsigned char *bytes) {
    BIGNUM *number = NULL;
    if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) != 1) return 0;
    int count = BN_bn2binpad(number, bytes, 32);
    BN_clear_free(number);
    return count == 32;
}

// The public point of a key, uncompressed: 65 bytes that begin with 4.
static inline int gr_p256_public(EVP_PKEY *key, unsigned char *bytes) {
    size_t count = 0;
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, bytes, 65, &count) == 1 && count == 65;
}

// The key that has this private number; null if none has.
static inline EVP_PKEY *gr_p256_read(const unsigned char *bytes) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY_CTX *context = NULL;
    BIGNUM *number = BN_bin2bn(bytes, 32, NULL);
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *point = group != NULL ? EC_POINT_new(group) : NULL;
    unsigned char public[65];
    if (builder == NULL || number == NULL || point == NULL) goto done;
    if (BN_is_zero(number) || BN_cmp(number, EC_GROUP_get0_order(group)) >= 0) goto done;
    BN_set_flags(number, BN_FLG_CONSTTIME);
    if (EC_POINT_mul(group, point, number, NULL, NULL, NULL) != 1) goto done;
    if (EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, public, 65, NULL) != 65) goto done;
    if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1) goto done;
    if (OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, public, 65) != 1) goto done;
    if (OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) != 1) goto done;
    parameters = OSSL_PARAM_BLD_to_param(builder);
    context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (parameters == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1) goto done;
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) != 1) key = NULL;
done:
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EC_POINT_free(point);
    EC_GROUP_free(group);
    BN_clear_free(number);
    return key;
}

// Signs with ECDSA and SHA-256. `r` and `s` have 32 bytes each.
static inline int gr_p256_sign(
    EVP_PKEY *key, const unsigned char *message, size_t length, unsigned char *r, unsigned char *s) {
    unsigned char der[80];
    size_t count = sizeof der;
    int result = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL) return 0;
    if (EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1 &&
        EVP_DigestSign(context, der, &count, message, length) == 1) {
        const unsigned char *next = der;
        ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &next, (long)count);
        if (signature != NULL) {
            result = BN_bn2binpad(ECDSA_SIG_get0_r(signature), r, 32) == 32 &&
                     BN_bn2binpad(ECDSA_SIG_get0_s(signature), s, 32) == 32;
            ECDSA_SIG_free(signature);
        }
    }
    EVP_MD_CTX_free(context);
    return result;
}

#endif
