/* signals.h - the signals that a long command answers to. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Memory that is a file, as SQLite has it beside the log, cannot be written where nothing is written in place and the
 * disk is full: that is told, and the program ends with CLI_NOSPACE, as if it had been killed. */
void cli_signals_tell_full(void);
/* From now on INT, TERM and HUP are noted instead of ending the program.  A HUP that is ignored
 * already (nohup) stays ignored; INT does not, so that `kill -INT` reaches a background job of a
 * script, for which shells ignore it. */
void cli_signals_catch(void);
/* A reader that goes away (pingo run 2>&1 | head) does not end us: what runs would be driven by nobody. */
void cli_signals_survive_pipes(void);
/* Nothing is driven any more, and what is left is to print: each does again what it did before. */
void cli_signals_release(void);
/* The signal that counts: TERM or HUP where one came, else INT, else 0. */
int cli_signal_caught(void);
/* The exit status after it: 128 and its number; CLI_INTERRUPTED where none came. */
int cli_signal_status(void);
/* How often INT came. */
int cli_signal_interrupts(void);

#endif
