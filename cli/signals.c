/* signals.c - the signals that a long command answers to.  Handlers only note. */
#include "exit.h"
#include "signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts, leaving;

static void note(int number)
{
    if (number == SIGINT)
        interrupts = interrupts + 1;
    else
        leaving = number;
}

static void nothing(int number)
{
    (void)number;
}

static void tell_full(int number)
{
    static const char text[] =
        "pingo: a file of the store could not be written: its disk is full or broken, or a quota is"
        " reached; nothing is lost: make room there, and go on\n";
    (void)number;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? CLI_INTERNAL : CLI_NOSPACE);
}

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], CAUGHT = NUMBERS - 1 };
static struct sigaction before[NUMBERS]; /* where changed */
static bool is_changed[NUMBERS];

static void change(size_t i, const struct sigaction *action)
{
    if (sigaction(numbers[i], action, is_changed[i] ? NULL : &before[i]) == 0)
        is_changed[i] = true;
}

void cli_signals_tell_full(void)
{
    struct sigaction action = {.sa_handler = tell_full};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void cli_signals_survive_pipes(void)
{
    /* A handler, and not SIG_IGN, which whatever is started would inherit. */
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    change(CAUGHT, &action);
}

void cli_signals_catch(void)
{
    for (size_t i = 0; i < CAUGHT; i++) {
        struct sigaction old, action = {.sa_handler = note};
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 &&
            (numbers[i] != SIGHUP || old.sa_handler != SIG_IGN))
            change(i, &action);
    }
}

void cli_signals_release(void)
{
    for (size_t i = 0; i < NUMBERS; i++)
        if (is_changed[i] && sigaction(numbers[i], &before[i], NULL) == 0)
            is_changed[i] = false;
}

int cli_signal_caught(void)
{
    if (leaving != 0)
        return leaving;
    return interrupts > 0 ? SIGINT : 0;
}

int cli_signal_status(void)
{
    int number = cli_signal_caught();
    return number == 0 ? CLI_INTERRUPTED : 128 + number;
}

int cli_signal_interrupts(void)
{
    return interrupts;
}
