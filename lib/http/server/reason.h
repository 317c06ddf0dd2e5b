/* reason.h - what a status of HTTP means. */
#ifndef PINGO__HTTP_SERVER_REASON_H
#define PINGO__HTTP_SERVER_REASON_H

/* As the first line of an answer says it; "Unknown" where that is not known.  Static. */
const char *pingo__http_reason(int status);

#endif
