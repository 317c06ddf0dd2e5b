/* main.c - pingo serve: the program pingo-server, from its options to its end. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/world.h"
#include "serve/browser.h"
#include "serve/loop/loop.h"
#include "serve/work/counts.h"
#include "serve/work/ticks.h"
#include "session.h"

extern const struct cli_command cli_serve;

#define PORT_KEY "serve.port"

struct running {
    struct cli *cli;
    struct serve serve;
    struct serve_guard guard;
    struct serve_loop_options loop;
    struct serve_counts counts;
    bool opens;
};

/* A setting; NULL: after a message. */
static char *setting(struct cli *cli, const char *key)
{
    char *value = NULL;
    if (pingo_store_get(cli->store, key, &value, &cli->err) != 0)
        cli_error(cli);
    return cli_own(value);
}

/* Of settings that are not set, "none". */
static const char *given(const char *value)
{
    return value && strcmp(value, "none") != 0 ? value : "";
}

static int read_settings(struct running *r, const struct cli_args *args)
{
    char *port = setting(r->cli, PORT_KEY), *hosts = setting(r->cli, "serve.hosts");
    char *proxy = setting(r->cli, "serve.trustedProxyUid"), *group = setting(r->cli, "serve.group");
    if (!port || !hosts || !proxy || !group)
        return CLI_NOSTORE;
    r->guard = (struct serve_guard){.owner = geteuid(),
                                    .hosts = given(hosts),
                                    .proxy = *given(proxy) ? strtoll(proxy, NULL, 10) : -1};
    r->loop.group = given(group);
    r->loop.port = (int)cli_number(args, "port", 0, 65535, strtoll(port, NULL, 10));
    r->loop.socket = cli_value(args, "socket");
    r->loop.no_tcp = cli_flag(args, "no-tcp");
    r->loop.address = cli_value(args, "behind-proxy");
    return cli_check(args);
}

static int check_usage(const struct cli_args *args)
{
    static const char *const of_tcp[] = {"port", "behind-proxy", "open"};
    for (size_t i = 0; cli_flag(args, "no-tcp") && i < sizeof of_tcp / sizeof of_tcp[0]; i++)
        if (cli_flag(args, of_tcp[i]))
            return cli_usage(args, "--%s is about TCP, and --no-tcp says that there is none",
                             of_tcp[i]);
    return CLI_OK;
}

/* The last line but for what goes wrong later: who started us may wait for it. */
static void say_listening(void *context, const char *url, const char *socket)
{
    struct running *r = context;
    r->serve.url = url;
    cli_note("socket: %s (curl --unix-socket %s http://localhost/v1/workflows)", socket,
             cli_word(socket));
    if (r->loop.socket)
        cli_note("socket of others: %s", r->loop.socket);
    if (url)
        cli_note("TCP: %s (each request needs a token: %s token create)", url, cli_program(r->cli));
    if (!r->serve.runs)
        cli_note("nothing is run here: %s run --all does", cli_program(r->cli));
    cli_note("serving %s; stop with Ctrl-C, what runs goes on", r->serve.directory);
    fflush(stderr);
    if (r->opens && url) {
        serve_browser_open(url, r->serve.directory);
        cli_note("that is good once, and for a minute; another one: %s token url",
                 cli_program(r->cli));
    }
}

/* Helper programs lie beside this one. */
static const char *helpers(void)
{
    char here[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    here[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(here, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    const char *supervisor = cli_format("%s/pingo-supervisor", here);
    return access(supervisor, X_OK) == 0 ? cli_copy(here) : NULL;
}

static const char *user_name(void)
{
    char name[PINGO__PROCESS_USER_SIZE];
    return pingo__process_user(name) ? cli_copy(name) : cli_format("%u", (unsigned)geteuid());
}

static int run(struct cli *cli, const struct cli_args *args)
{
    static struct running r; /* large */
    r.cli = cli;
    int rc = check_usage(args);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc == CLI_OK)
        rc = read_settings(&r, args);
    if (rc != CLI_OK)
        return rc;
    r.serve.directory = pingo_store_directory(cli->store);
    r.serve.helpers = helpers();
    r.serve.started_ms = pingo__world_wall_ms();
    r.opens = cli_flag(args, "open");
    r.serve.runs = !cli_flag(args, "no-run");
    r.serve.owner = user_name();
    r.serve.counts = &r.counts;
    r.loop.serve = &r.serve;
    r.loop.guard = &r.guard;
    r.loop.listening = say_listening;
    r.loop.context = &r;
    signal(SIGPIPE, SIG_IGN);
    if (r.serve.runs && serve_ticks_start(&r.serve, &r.serve.ticks, &cli->err) != 0)
        return cli_error(cli);
    if (serve_loop_run(&r.loop, &cli->err) != 0)
        rc = cli_error(cli);
    serve_ticks_stop(r.serve.ticks);
    if (r.opens && rc == CLI_OK)
        serve_browser_close(r.serve.directory);
    return rc;
}

const struct cli_command cli_serve = {"serve", NULL, run, CLI_OPENS_STORE};
