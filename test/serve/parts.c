/* parts.c - preloaded: the system takes half of what it is offered at once, as it may do with a slow client. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <uv.h>

int uv_try_write(uv_stream_t *stream, const uv_buf_t buffers[], unsigned n)
{
    typedef int (*function)(uv_stream_t *, const uv_buf_t[], unsigned);
    uv_buf_t first = buffers[0];
    (void)n;
    first.len = first.len > 2 ? first.len / 2 : first.len;
    return ((function)dlsym(RTLD_NEXT, "uv_try_write"))(stream, &first, 1);
}
