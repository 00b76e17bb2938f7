// SPDX-License-Identifier: MIT
#include "cli/run/stop.h"

#include "cli/run/engine.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const shl_option shl_stop_options[] = {
    {"checkpoint-every", 0, "N|T", "steps, or a time as 30m, between checkpoints; default 30m",
     false},
    {"max-time", 0, "T", "stop before that time is over, as 3:50:00, 90m or 20s; exit 75",
     false},
    {0},
};

static const double look_every_s = 0.2; // for the file; a disk may be far away

static const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t checkpoint_asked, stop_asked;
static struct sigaction before[SIGNALS];
static bool caught;

// Only what a signal handler may call is called.
static void handle(int number)
{
    if (number == SIGUSR1) {
        checkpoint_asked = 1;
        return;
    }
    if (stop_asked) {
        signal(number, SIG_DFL);
        raise(number);
    }
    stop_asked = number;
}

bool shl_duration(const char *text, double *seconds)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    double total = 0;
    for (int part = 0; part < 3; part++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        const unsigned long value = strtoul(text, &end, 10);
        if (value > 100000000 || (part && value > 59))
            return false;
        total = 60 * total + (double)value;
        if (*end == ':') {
            text = end + 1;
            continue;
        }
        for (size_t i = 0; part == 0 && i < sizeof units / sizeof *units; i++) {
            if (*end == units[i].letter) {
                total *= units[i].seconds;
                end++;
                break;
            }
        }
        *seconds = total;
        return *end == '\0' && total > 0;
    }
    return false;
}

static bool all_digits(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

bool shl_stop_read(const shl_args *args, shl_stop *out)
{
    *out = (shl_stop){.every_s = 1800};
    const char *every = shl_args_get(args, "checkpoint-every");
    const char *most = shl_args_get(args, "max-time");
    if (every && all_digits(every)) {
        out->every_s = 0;
        if (!shl_args_number(args, "checkpoint-every", 1, 1000000000, &out->every_steps))
            return false;
    } else if (every && !shl_duration(every, &out->every_s)) {
        shl_usage_error(args->command,
                        "--checkpoint-every '%s' is neither a number of steps nor a time as "
                        "30m or 1:30:00",
                        every);
        return false;
    }
    if (most && !shl_duration(most, &out->most_s)) {
        shl_usage_error(args->command, "--max-time '%s' is not a time as 3:50:00, 90m or 20s",
                        most);
        return false;
    }
    return true;
}

void shl_stop_begin(shl_stop *s, const char *folder)
{
    s->begin_s = s->checkpoint_s = s->step_s = shl_now_s();
    snprintf(s->file, sizeof s->file, "%s/stop", folder);
    checkpoint_asked = stop_asked = 0;
    caught = true;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        // who started shoal in the background has its reasons to ignore INT
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void shl_stop_end(void)
{
    for (int i = 0; caught && i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    caught = false;
}

shl_wish shl_stop_ask(shl_stop *s, uint32_t step)
{
    const double now = shl_now_s();
    s->longest_s = now - s->step_s > s->longest_s ? now - s->step_s : s->longest_s;
    s->step_s = now;
    if (stop_asked) {
        snprintf(s->why, sizeof s->why, "signal %d", (int)stop_asked);
        return SHL_STOP;
    }
    if (s->most_s > 0 && now - s->begin_s + s->longest_s >= s->most_s) {
        snprintf(s->why, sizeof s->why, "--max-time");
        return SHL_STOP;
    }
    if (now - s->looked_s > look_every_s) {
        s->looked_s = now;
        // gone once it is obeyed, so that the run can go on
        if (unlink(s->file) == 0) {
            snprintf(s->why, sizeof s->why, "the file stop");
            return SHL_STOP;
        }
    }
    const bool due = (s->every_steps && step % s->every_steps == 0) ||
                     (s->every_s > 0 && now - s->checkpoint_s >= s->every_s);
    const bool asked = checkpoint_asked;
    checkpoint_asked = 0; // who asks while it is made gets another one
    return asked || due ? SHL_CHECKPOINT : SHL_GO_ON;
}

void shl_stop_made(shl_stop *s)
{
    s->checkpoint_s = s->step_s = shl_now_s();
}
