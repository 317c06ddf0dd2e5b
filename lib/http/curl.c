/* curl.c - see curl.h.
 *
 * libcurl's own state of a process is made by whoever makes the first handle; since 7.84 threads that do so at once are
 * in nobody's way, which its version tells.  It is never unloaded. */
#include "http/curl.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

#define OBJECT "libcurl.so.4"

static int find(void *object, const char *name, void *function, struct pingo_error *err)
{
    void *symbol = dlsym(object, name);
    if (!symbol)
        return pingo__fail(err, PINGO_EUNSUPPORTED, OBJECT " lacks %s", name);
    memcpy(function, &symbol, sizeof symbol);
    return 0;
}

int pingo__http_curl_load(struct pingo__http_curl *curl, struct pingo_error *err)
{
    int rc = 0;
    void *object = dlopen(OBJECT, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object) {
        const char *why = dlerror();
        return pingo__fail(err, PINGO_EUNSUPPORTED,
                           "to speak to a server libcurl is needed, which cannot be loaded "
                           "(Debian: install libcurl4): %s",
                           why ? why : OBJECT);
    }
#define FIND(name)                                                                                 \
    if (!rc)                                                                                       \
        rc = find(object, "curl_" #name, &curl->name, err);
    PINGO__HTTP_CURL_FUNCTIONS(FIND)
#undef FIND
    if (!rc) {
        const curl_version_info_data *version = curl->version_info(CURLVERSION_NOW);
        if (!(version->features & CURL_VERSION_THREADSAFE))
            rc = pingo__fail(err, PINGO_EUNSUPPORTED,
                             OBJECT " %s is not safe with threads; 7.84 and newer ones are",
                             version->version);
        curl->can_negotiate = (version->features & CURL_VERSION_SPNEGO) != 0;
    }
    dlclose(object); /* it stays, as long as the process does */
    return rc;
}
