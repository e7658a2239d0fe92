// Plain JavaScript, because the benchmarks load it too.
import { existsSync } from 'node:fs'

/** Usual paths of Chromium; PAYSIM_CHROMIUM names another one. */
const USUAL_PATHS = [
  // The headless build of Debian takes half the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** How Playwright starts the Chromium that is installed, or why there is none. */
export function findChromium() {
  const named = process.env.PAYSIM_CHROMIUM
  const path = named || USUAL_PATHS.find(candidate => existsSync(candidate))
  if (!path) return { missing: 'no Chromium was found: install one, or name it in PAYSIM_CHROMIUM' }
  if (!existsSync(path)) return { missing: `PAYSIM_CHROMIUM names ${path}, and nothing is there` }
  return { launch: { executablePath: path, args: ARGUMENTS } }
}

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // This saves a process for each browser and each page.
  '--in-process-gpu',
  '--renderer-process-limit=1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
