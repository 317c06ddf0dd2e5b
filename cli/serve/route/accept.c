/* accept.c - what a client would rather have: Accept and Accept-Encoding (RFC 9110, 12.5). */
#include <string.h>
#include <strings.h>

#include "serve/route/route.h"

/* Of "a/b;q=0.5;...", length bytes: in thousandths. */
static int quality_of(const char *range, size_t length)
{
    for (const char *p = range; p && p < range + length;
         p = memchr(p, ';', (size_t)(range + length - p))) {
        p += strspn(p, "; \t");
        if (strncasecmp(p, "q=", 2) != 0)
            continue;
        int q = p[2] == '1' ? 1000 : 0;
        const char *digits = p[2] == '0' && p[3] == '.' ? p + 4 : "";
        for (int unit = 100; unit > 0 && *digits >= '0' && *digits <= '9'; unit /= 10, digits++)
            q += unit * (*digits - '0');
        return q;
    }
    return 1000;
}

/* How closely a range is a type: 0: not at all; 3: it is. */
static int fit_of(const char *range, size_t n, const char *type, size_t length)
{
    size_t family = strcspn(type, "/") + 1;
    if (n == length && strncasecmp(range, type, n) == 0)
        return 3;
    if (n == family + 1 && range[family] == '*' && strncasecmp(range, type, family) == 0)
        return 2;
    const char *any = memchr(type, '/', length) ? "*/*" : "*";
    return n == strlen(any) && memcmp(range, any, n) == 0;
}

int serve_quality(const struct serve_request *request, const char *header, const char *type)
{
    const char *p = serve_asked(request, header);
    int best = 0, quality = 0;
    if (!p || (strchr(type, '/') && p[strspn(p, " \t,")] == '\0'))
        return 1000; /* of codings, nothing is none */
    for (; *p; p += strcspn(p, ",")) {
        p += strspn(p, ", \t");
        size_t length = strcspn(p, ","), n = strcspn(p, ",; \t");
        int fit = fit_of(p, n, type, strcspn(type, "; "));
        if (fit > best) {
            best = fit;
            quality = quality_of(p, length);
        }
    }
    return quality;
}
