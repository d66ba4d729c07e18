"""The text that a shell runs when it starts: prints the finished brief once a day.

Only what is built into the shell runs; `date` alone is a process, where a shell can't tell the time
itself. docs/shell.md says what the files hold.
"""

from __future__ import annotations

import os

SHELLS = ("bash", "zsh", "fish")
VERSION = 1

_BASH = """\
__hermes_once() { # prints the text $2 of the file $3, for the first shell only with the mark $1
    local hermes_sign=$$.$RANDOM$RANDOM.$3 hermes_first=
    [[ ! -e $1 ]] && builtin printf '%s\\n' "$hermes_sign" >>"$1" &&
        IFS= builtin read -r hermes_first <"$1" && [[ $hermes_first == "$hermes_sign" ]] &&
        builtin printf %s "$2"
}
__hermes_brief() {
    [[ $- == *i* && -t 0 && -t 1 && ${TERM:-dumb} != dumb && -z ${CI-}${BASH_EXECUTION_STRING-} &&
        -z ${VSCODE_RESOLVING_ENVIRONMENT-}${INTELLIJ_ENVIRONMENT_READER-} ]] || return 0
    local hermes_in=@FOLDER@
    local IFS=' ' hermes_day= hermes_due= hermes_dead= hermes_text= hermes_now= \\
        hermes_pid= hermes_start= hermes_host= hermes_at= hermes_date= hermes_since= hermes_stat= \\
        hermes_file= hermes_end=$'\\n'
    [[ -O $hermes_in/shown ]] || return 0 # another user's, or gone
    {
        builtin read -r hermes_day <"$hermes_in/today.80"
        [[ -z $hermes_day || -e $hermes_in/shown/$hermes_day ]] || hermes_due=1
        builtin read -r hermes_pid hermes_start hermes_host hermes_at hermes_date hermes_since \\
            <"$hermes_in/daemon"
        if [[ -n $hermes_since && $hermes_host == "${HOSTNAME-}" ]]; then
            if [[ $hermes_start != - ]]; then
                builtin read -r hermes_stat <"/proc/$hermes_pid/stat"
                [[ $hermes_stat == *" $hermes_start "* && $hermes_stat != *') Z '* ]] ||
                    hermes_dead=1
            else
                builtin kill -0 "$hermes_pid" || hermes_dead=1
            fi
        fi
        [[ -n $hermes_due$hermes_dead ]] || return 0
        if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 402)); then
            builtin printf -v hermes_now '%(%Y-%m-%d %s)T' -1
        else
            hermes_now=$(builtin command date '+%Y-%m-%d %s')
        fi
        if [[ -n $hermes_due && $hermes_day == "${hermes_now% *}" ]]; then
            local COLUMNS=${COLUMNS-} LINES
            [[ -n $COLUMNS ]] || (:) # bash looks how wide the terminal is when a process has ended
            case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
            *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) [[ -n ${NO_COLOR-} ]] || hermes_text=.ansi ;;
            *) hermes_text=.ascii ;;
            esac
            hermes_file=today.80
            ((${COLUMNS:-80} >= 80)) || hermes_file=today.40
            case $hermes_file$hermes_text in
            *.ascii | today.80.ansi) hermes_file=$hermes_file$hermes_text ;;
            esac
            hermes_day= hermes_text=
            {
                builtin read -r hermes_day
                IFS= builtin read -r -d '' hermes_text
            } <"$hermes_in/$hermes_file"
            [[ $hermes_day != "${hermes_now% *}" ]] ||
                __hermes_once "$hermes_in/shown/$hermes_day" "$hermes_text" "$hermes_file"
        fi
        if [[ -n $hermes_dead ]]; then
            ((${hermes_now#* } - hermes_at < 518400)) || hermes_since=$hermes_date
            __hermes_once "$hermes_in/shown/${hermes_now% *}.dead" \\
                "hermes has not run since $hermes_since: hermes up$hermes_end" daemon
        fi
    } 2>/dev/null
    return 0
}
__hermes_brief || :
unset -f __hermes_brief __hermes_once
"""

_ZSH = """\
() {
    [[ -o interactive && -t 0 && -t 1 && ${TERM:-dumb} != dumb && -z ${ZSH_EXECUTION_STRING-} &&
        -z ${CI-}${VSCODE_RESOLVING_ENVIRONMENT-}${INTELLIJ_ENVIRONMENT_READER-} ]] || return 0
    emulate -L zsh
    setopt clobber unset no_err_exit no_err_return no_xtrace no_warn_create_global
    local hermes_in=@FOLDER@
    local IFS=' ' hermes_day= hermes_due= hermes_dead= hermes_text= hermes_now= \\
        hermes_pid= hermes_start= hermes_host= hermes_at= hermes_date= hermes_since= hermes_stat= \\
        hermes_file= hermes_mark= hermes_sign= hermes_first=
    [[ -O $hermes_in/shown ]] || return 0 # another user's, or gone
    {
        builtin read -r hermes_day <"$hermes_in/today.80"
        [[ -z $hermes_day || -e $hermes_in/shown/$hermes_day ]] || hermes_due=1
        builtin read -r hermes_pid hermes_start hermes_host hermes_at hermes_date hermes_since \\
            <"$hermes_in/daemon"
        if [[ -n $hermes_since && $hermes_host == "${HOST-}" ]]; then
            if [[ $hermes_start != - ]]; then
                builtin read -r hermes_stat <"/proc/$hermes_pid/stat"
                [[ $hermes_stat == *" $hermes_start "* && $hermes_stat != *') Z '* ]] ||
                    hermes_dead=1
            else
                builtin kill -0 "$hermes_pid" || hermes_dead=1
            fi
        fi
        [[ -n $hermes_due$hermes_dead ]] || return 0
        hermes_now=${(%):-'%D{%Y-%m-%d %s}'}
        for hermes_mark in ${hermes_now% *} ${hermes_now% *}.dead; do
            hermes_text=
            if [[ $hermes_mark == *.dead ]]; then
                [[ -n $hermes_dead ]] || continue
                ((${hermes_now#* } - hermes_at < 518400)) || hermes_since=$hermes_date
                hermes_text="hermes has not run since $hermes_since: hermes up"$'\\n'
                hermes_file=daemon
            else
                [[ -n $hermes_due && $hermes_day == "$hermes_mark" ]] || continue
                case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
                *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) [[ -n ${NO_COLOR-} ]] || hermes_text=.ansi ;;
                *) hermes_text=.ascii ;;
                esac
                hermes_file=today.80
                ((${COLUMNS:-80} >= 80)) || hermes_file=today.40
                case $hermes_file$hermes_text in
                *.ascii | today.80.ansi) hermes_file=$hermes_file$hermes_text ;;
                esac
                hermes_day= hermes_text=
                {
                    builtin read -r hermes_day
                    IFS= builtin read -r -d '' hermes_text
                } <"$hermes_in/$hermes_file"
                [[ $hermes_day == "$hermes_mark" ]] || continue
            fi
            # The first shell only that comes with this mark prints.
            hermes_mark=$hermes_in/shown/$hermes_mark
            hermes_sign=$$.$RANDOM$RANDOM.$hermes_file
            [[ ! -e $hermes_mark ]] && builtin print -r -- "$hermes_sign" >>"$hermes_mark" &&
                builtin read -r hermes_first <"$hermes_mark" &&
                [[ $hermes_first == "$hermes_sign" ]] && builtin printf %s "$hermes_text"
        done
    } 2>/dev/null
    return 0
} || :
"""

_FISH = """\
function __hermes_once # prints the text $argv[2] of the file $argv[3], for the first shell only
    builtin test -e $argv[1]; and return # that comes with the mark $argv[1]
    set -l sign $fish_pid.(builtin random).$argv[3]
    set -l first
    builtin printf '%s\\n' $sign >>$argv[1]
    and builtin read first <$argv[1]
    and builtin test "$first" = "$sign"
    and builtin printf %s $argv[2]
end
function __hermes_brief
    builtin status is-interactive; and builtin test -t 0 -a -t 1; or return
    set -l probes "$CI$VSCODE_RESOLVING_ENVIRONMENT$INTELLIJ_ENVIRONMENT_READER"
    builtin contains -- "$TERM" '' dumb; or builtin test -n "$probes"; and return
    set -l in @FOLDER@
    builtin test -O $in/shown; or return # another user's, or gone
    set -l day; set -l due; set -l dead
    set -l pid; set -l start; set -l host; set -l at; set -l date; set -l since
    if builtin test -r $in/today.80
        builtin read day <$in/today.80
        builtin test -n "$day"; and not builtin test -e $in/shown/$day; and set due 1
    end
    if builtin test -r $in/daemon
        builtin read -d ' ' pid start host at date since <$in/daemon
        if builtin test -n "$since" -a "$host" = "$hostname"
            set -l stat
            if builtin test "$start" = -
                command kill -0 $pid 2>/dev/null; or set dead 1
            else if builtin test -r /proc/$pid/stat; and builtin read stat </proc/$pid/stat
                builtin string match -q -- "* $start *" $stat; or set dead 1
                builtin string match -q -- '*) Z *' $stat; and set dead 1
            else
                set dead 1
            end
        end
    end
    builtin test -n "$due$dead"; or return
    # What day is it? A file's time and age give the seconds, and the last sign of life has the time
    # of the day too: on the same day, or where that was told already, no process is needed.
    set -l now
    set -l clock (builtin string match -r '(\\d+):(\\d+)$' -- $since)
    set -l began "- $at + $clock[2] * 3600 + $clock[3] * 60) / 86400)"
    set -l then (builtin path mtime $in/daemon 2>/dev/null; builtin path mtime -R $in/daemon 2>/dev/null)
    if builtin test -n "$clock[1]" -a -n "$then[2]" -a "$host" = "$hostname"
        set -l days (builtin math "floor(($then[1] + $then[2] $began")
        set -l marks $in/shown/*.dead
        if builtin test $days = 0
            set now $date (builtin math "$then[1] + $then[2]")
        else if builtin test -z "$due" -a -n "$marks[1]"
            set -l told (builtin path mtime $marks[-1])
            builtin test (builtin math "floor(($told $began") = $days; and return
        end
    end
    builtin test -n "$now[2]"; or set now (command date '+%Y-%m-%d %s' | builtin string split ' ')
    if builtin test -n "$due" -a "$day" = "$now[1]"
        set -l locale (builtin string match -v -- '' $LC_ALL $LC_CTYPE $LANG)
        set -l file today.80
        builtin test -n "$COLUMNS"; and builtin test "$COLUMNS" -lt 80; and set file today.40
        if not builtin string match -qri 'utf-?8' -- $locale[1]
            set file $file.ascii
        else if builtin test $file = today.80 -a -z "$NO_COLOR"
            set file $file.ansi
        end
        set -l text
        set day ''
        if builtin test -r $in/$file
            begin
                builtin read day
                builtin read -z text
            end <$in/$file
        end
        builtin test "$day" = "$now[1]"; and __hermes_once $in/shown/$day "$text" $file
    end
    if builtin test -n "$dead"
        builtin test (builtin math $now[2] - $at) -lt 518400; or set since $date
        __hermes_once $in/shown/$now[1].dead "hermes has not run since $since: hermes up"\\n daemon
    end
end
__hermes_brief
functions -e __hermes_brief __hermes_once
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def script(shell: str, brief: str, home: str) -> bytes:
    """Return what a shell runs at its start, given the folder of the finished brief.

    A folder under ``home`` is named by the shell's own HOME, so that the same lines serve another
    machine. Raise KeyError for a shell that is not in SHELLS.
    """
    return _SCRIPTS[shell].encode().replace(b"@FOLDER@", quoted(shell, brief, home))


def quoted(shell: str, folder: str, home: str) -> bytes:
    """Return a folder as it stands in the script."""
    beginning = ""
    if home.strip("/") and folder.startswith(home.rstrip("/") + "/"):
        beginning = '"$HOME"' if shell == "fish" else '"${HOME-}"'
        folder = folder[len(home.rstrip("/")) :]
    if shell == "fish":
        folder = folder.replace("\\", "\\\\").replace("'", "\\'")
    else:
        folder = folder.replace("'", "'\\''")
    return os.fsencode(f"{beginning}'{folder}'")
