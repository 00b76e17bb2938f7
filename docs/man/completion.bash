# bash completion for shoal: commands, options as the tool's own help lists them, scenes, files.
_shoal()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(shoal --help 2>/dev/null |
            sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
    fi
    case $word in
    -*)
        mapfile -t COMPREPLY < <(compgen -W "$(shoal "$command" --help 2>/dev/null |
            grep -o -- '--[a-z-]*' | sort -u)" -- "$word")
        return
        ;;
    esac
    if [ "$command" = run ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(shoal scenes 2>/dev/null |
            sed -n 's/^\([a-z0-9-]*\): .*/\1/p')" -- "$word")
    fi
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _shoal shoal
