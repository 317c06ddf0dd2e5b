/* signals.c - the signals that a long command answers to.  Handlers only note. */
#include "exit.h"
#include "signals.h"

#include <signal.h>
#include <stddef.h>

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

void cli_signals_survive_pipes(void)
{
    /* A handler, and not SIG_IGN, which whatever is started would inherit. */
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}

void cli_signals_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, action = {.sa_handler = note};
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 &&
            (numbers[i] != SIGHUP || old.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
    }
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
