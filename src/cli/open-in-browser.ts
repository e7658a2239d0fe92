import { messageOf } from './errors/cli-errors.ts'
import { originOf } from './where/simulators.ts'

type Warn = (message: string) => void

/**
 * Opens a page whose address a server has sent. The opener of a system takes files, programs and its own options as well,
 * so only a page of that very server is opened.
 */
export async function openPageOf(server: string, address: string, warn: Warn): Promise<void> {
  if (!/^https?:\/\//i.test(address) || originOf(address) !== originOf(server))
    return warn(`the link is not opened: it does not lead to ${originOf(server)}, which sent it`)
  return openInBrowser(new URL(address).href, warn)
}

/** Opens an address of our own in the browser. If that fails, it only warns. */
export async function openInBrowser(url: string, warn: Warn): Promise<void> {
  const failed = (why: unknown) => warn(`cannot open a browser (${messageOf(why)}): open ${url} yourself`)
  try {
    const { default: open } = await import('open')
    const browser = await open(url)
    browser.once('error', failed)
    browser.once('exit', code => {
      if (code) failed(`its command ended with ${code}`)
    })
  } catch (cause) {
    failed(cause)
  }
}
