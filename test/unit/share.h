/* share.h - how much of a repetition is done: all of it in a plain build, a part of it in one where a sanitizer makes
 * each step slow.  What a sanitizer alone would find (hostile bytes, failing allocations) is not thinned by it. */
#ifndef TEST_SHARE_H
#define TEST_SHARE_H

#if defined(__has_feature)
#define HAS_FEATURE(f) __has_feature(f)
#else
#define HAS_FEATURE(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define IS_SLOW 1
#else
#define IS_SLOW 0
#endif
#define SHARE(all, part) (IS_SLOW ? (part) : (all))

#endif
