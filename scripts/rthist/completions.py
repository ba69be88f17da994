# SPDX-License-Identifier: GPL-2.0-or-later
"""Completions of rt-hist for bash, zsh and fish, from its own command line:

    python3 -m rthist.completions bash|zsh|fish
"""

import argparse
import sys

from .main import options

FILE_WORDS = ("OUT", "FILE")


def commands():
    """[(name, help, [option])]; an option is (letters and names, help, value, choices)."""
    action = next(one for one in options()._actions if isinstance(one, argparse._SubParsersAction))
    texts = {one.dest: one.help for one in action._choices_actions}
    return [(name, texts[name], [option for one in parser._actions for option in rows_of(one)])
            for name, parser in action.choices.items()]


def rows_of(action):
    if action.option_strings:
        takes_value = action.nargs != 0
        yield (action.option_strings, action.help or "", takes_value and (action.metavar or "WORD"),
               list(action.choices or []))


def bash():
    lines = ["# bash completion of rt-hist", "_rtgauge_rt_hist() {",
             "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words", "",
             "\t# bash takes --name=value for three words",
             '\tif [[ $cur == "=" ]]; then', "\t\tcur=",
             '\telif [[ $prev == "=" ]]; then', "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}", "\tfi",
             "\tCOMPREPLY=()", "\tif ((COMP_CWORD == 1)); then",
             f"\t\tmapfile -t COMPREPLY < <(compgen -W \"{' '.join(name for name, _, _ in commands())}"
             " --help --version\" -- \"$cur\")", "\t\treturn", "\tfi", "\tcase $prev in"]
    lines += [f"\t{'|'.join(names)}) words=\"{' '.join(choices)}\" ;;" for names, choices in choosing()]
    lines += [f"\t{'|'.join(closed())}) return ;;", "\t*)", "\t\tcase ${COMP_WORDS[1]} in"]
    for name, _, rows in commands():
        words = " ".join(names[-1] + ("=" if value else "") for names, _, value, _ in rows)
        lines.append(f"\t\t{name}) [[ $cur == -* ]] && words=\"{words}\" ;;")
    return lines + [
        "\t\tesac ;;", "\tesac", "\tif [[ -n $words ]]; then",
        "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")",
        "\t\t[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace",
        "\telse", "\t\tcompopt -o filenames", "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
        "\tfi", "\treturn 0", "}", "complete -F _rtgauge_rt_hist rt-hist"]


def choosing():
    """Options with a closed list of values, once each."""
    seen = {}
    for _, _, rows in commands():
        for names, _, _, choices in rows:
            if choices:
                seen[tuple(names)] = choices
    return seen.items()


def closed():
    """Options whose value nothing is known of."""
    return dict.fromkeys(name for _, _, rows in commands() for names, _, value, choices in rows
                         if value and not choices and value not in FILE_WORDS for name in names)


def zsh():
    lines = ["#compdef rt-hist", "local -a commands=("]
    lines += [f"\t{quoted(f'{name}:{text}')}" for name, text, _ in commands()]
    lines += [")", "if ((CURRENT == 2)); then", "\t_describe command commands", "\treturn", "fi",
              "case $words[2] in"]
    for name, _, rows in commands():
        lines.append(f"{name}) _arguments -S '1: ' \\")
        for names, text, value, choices in rows:
            for one in names:
                sign = ("=" if one.startswith("--") else "+") if value else ""
                what = f":{value}:({' '.join(choices)})" if choices else \
                    f":{value}:" + ("_files" if value in FILE_WORDS else "") if value else ""
                lines.append("\t" + quoted(f"{one}{sign}[{text.replace('[', '(').replace(']', ')')}]{what}") + " \\")
        lines.append("\t'*:FILE:_files' ;;")
    return lines + ["esac"]


def fish():
    lines = ["complete -c rt-hist -n __fish_use_subcommand -f"]
    for name, text, rows in commands():
        lines.append(f"complete -c rt-hist -n __fish_use_subcommand -a {name} -d {fish_quoted(text)}")
        for names, help_text, value, choices in rows:
            line = f"complete -c rt-hist -n '__fish_seen_subcommand_from {name}'"
            for one in names:
                line += f" -l {one[2:]}" if one.startswith("--") else f" -s {one[1:]}"
            if value:
                line += " -F -r" if value in FILE_WORDS else f" -x -a '{' '.join(choices)}'" if choices else " -x"
            lines.append(line + f" -d {fish_quoted(help_text)}")
    return lines


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


if __name__ == "__main__":
    print("\n".join({"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[1]]()))
