export type Write = (text: string) => Promise<void>

/** Streams whose faults are looked after by whoever writes. Without a listener, Node would end the process on one. */
const heard = new WeakSet<NodeJS.WritableStream>()

/** How a pipe says that nobody reads it any more; the second is Windows. */
const GONE = new Set(['EPIPE', 'EOF'])

/** Writes, and waits until the text is on its way: a slow reader holds up what makes the next one. */
export function writerTo(out: NodeJS.WriteStream): Write {
  if (!heard.has(out)) {
    heard.add(out)
    out.on('error', () => {})
  }
  return text =>
    new Promise((resolve, reject) => {
      if (text === '') return resolve()
      out.write(text, error => {
        if (!error) return resolve()
        // Whoever read has seen enough, as `head` does: no fault, and nothing left to do.
        if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return process.exit()
        reject(error)
      })
    })
}
