import { spawn } from 'node:child_process'

/**
 * Ends the process group of a command when this process is gone without having said goodbye: killed outright, or
 * out of memory. It waits in a shell, at the other end of a pipe that only this process holds.
 */
export interface Guard {
  dismiss(): void
}

const WATCH = `trap '' INT TERM HUP QUIT
read -r word || { kill -s TERM -- "-$1"; sleep 1; kill -s KILL -- "-$1"; }`

export function guard(leader: number): Guard {
  if (process.platform === 'win32') return { dismiss() {} }
  const watcher = spawn('/bin/sh', ['-c', WATCH, 'paysim-guard', String(leader)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell there is no guard, which is no reason not to run the command.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return {
    dismiss: () => {
      watcher.stdin.end('done\n')
    },
  }
}
