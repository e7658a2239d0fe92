/** Shows an address in the person's browser. Where there is none, that is said, and nothing else stops because of it. */
export async function openInBrowser(url: string, warn: (message: string) => void): Promise<void> {
  const failed = (why: unknown) =>
    warn(`no browser could be opened (${why instanceof Error ? why.message : why}); go to ${url}`)
  try {
    const { default: open } = await import('open')
    const browser = await open(url)
    browser.once('error', failed)
    browser.once('exit', code => {
      if (code) failed(`the command for it ended with ${code}`)
    })
  } catch (cause) {
    failed(cause)
  }
}
