import { messageOf } from './errors/cli-errors.ts'
/** Opens a URL in the browser. If that fails, it only warns. */
export async function openInBrowser(url: string, warn: (message: string) => void): Promise<void> {
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
