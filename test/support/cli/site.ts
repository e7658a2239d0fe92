import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A small server for answers that no gateway would send. */
export async function openSite(listener: RequestListener): Promise<{ url: string; close: () => void }> {
  const site = createServer(listener)
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  const { port } = site.address() as AddressInfo
  const close = () => {
    site.close()
    site.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
