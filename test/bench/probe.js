// Asks a server again and again, one call after another, and tells its parent how long the longest answer took.
// node probe.js URL AUTHORIZATION, with a channel to its parent: any message starts a new count.
import { Agent, request } from 'node:http'

const [url, authorization] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
/** A pause between two calls, so that the calls themselves cause no load. */
const PAUSE_MS = 2

let longest = 0
let calls = 0
process.on('message', () => {
  process.send({ longest, calls })
  longest = 0
  calls = 0
})
process.on('disconnect', () => process.exit())

for (;;)
  for (const target of [`${url}/_paysim/health`, `${url}/payout_intents`]) {
    const startedAt = performance.now()
    await get(target)
    longest = Math.max(longest, performance.now() - startedAt)
    calls++
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }

function get(target) {
  return new Promise((resolve, reject) => {
    request(target, { agent, headers: { authorization } }, response => {
      if (response.statusCode !== 200) reject(new Error(`${target} answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end()
  })
}
