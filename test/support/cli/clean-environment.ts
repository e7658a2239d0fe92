/** The environment of a user who has never used paysim: no keys, no profile, no running simulator. */
export function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, CI, TMUX, TMUX_PANE, COLUMNS, LINES, ...rest } = process.env
  const kept = Object.entries(rest).filter(([name]) => !name.startsWith('PAYSIM_'))
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    APPDATA: home,
    XDG_CONFIG_HOME: home,
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
  }
}
