/* curl.h - libcurl, as it is found when it is needed: a program that speaks to no server does not load it, and the some
 * thirty libraries behind it. */
#ifndef PINGO__HTTP_CURL_H
#define PINGO__HTTP_CURL_H

#include <stdbool.h>

#include <curl/curl.h>

#include <pingo/error.h>

#define PINGO__HTTP_CURL_FUNCTIONS(F)                                                              \
    F(easy_init)                                                                                   \
    F(easy_cleanup)                                                                                \
    F(easy_reset)                                                                                  \
    F(easy_setopt)                                                                                 \
    F(easy_getinfo)                                                                                \
    F(easy_strerror)                                                                               \
    F(multi_init)                                                                                  \
    F(multi_cleanup)                                                                               \
    F(multi_setopt)                                                                                \
    F(multi_add_handle)                                                                            \
    F(multi_remove_handle)                                                                         \
    F(multi_socket_action)                                                                         \
    F(multi_info_read)                                                                             \
    F(slist_append)                                                                                \
    F(slist_free_all)                                                                              \
    F(version_info)

struct pingo__http_curl {
    bool can_negotiate;
#define MEMBER(name) __typeof__(curl_##name) *name;
    PINGO__HTTP_CURL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Errors: PINGO_EUNSUPPORTED: it is not there, or so old that two threads must not begin with it at once. */
int pingo__http_curl_load(struct pingo__http_curl *curl, struct pingo_error *err);

#endif
