import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const PAYSIM = fileURLToPath(new URL('../../bin/paysim.js', import.meta.url))

/** Starts a server in memory. What it says when it is ready has its addresses, and `stop` ends it. */
export async function servePaysim(...more) {
  const flags = ['serve', '--ephemeral', '--json', '--port', '0', ...more]
  const child = spawn(process.execPath, [PAYSIM, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const gone = ended.then(([code]) => Promise.reject(new Error(`paysim serve ended with ${code}`)))
  const [line] = await Promise.race([once(lines, 'line'), gone])
  gone.catch(() => {})
  lines.resume()
  const stop = async () => {
    child.kill()
    await ended
  }
  return { ...JSON.parse(line), stop }
}

export async function askControl({ control_url: url, control_token: token }, method, path, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}
