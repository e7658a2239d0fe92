import { isRunning } from '../engine/store/process-lock.ts'

/** How long a server may outlive the npx that started it. */
const LOOK_MS = 250

/**
 * npx starts a command in a shell. A signal to npx ends the shell and npx, but never reaches the command: a person who ends npx
 * means the command, so it looks whether its parent is still there. No event tells a process of that.
 */
export function endWithNpx(end: () => void): void {
  const { npm_command: called, npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env
  if (called !== 'exec' || event !== 'npx' || !/^\S*\bpaysim\b/.test(script)) return
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid === parent && isRunning(parent)) return
    clearInterval(look)
    end()
  }, LOOK_MS).unref()
}
