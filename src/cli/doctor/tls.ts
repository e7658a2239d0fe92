import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { EXIT } from '../errors/exit-code.ts'
import { type Check, fault, ok, warning } from './check.ts'
import { codeOf, type End, opened, type Way } from './socket.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Whether the server speaks TLS, and is whom its certificate names. */
export async function checkTls({ host, port }: End, { ca, timeoutMs }: Way): Promise<Check> {
  const socket = connect({
    host,
    port,
    timeout: timeoutMs,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  })
  try {
    await opened(socket, 'secureConnect')
    return certificateCheck(socket.getPeerCertificate(), socket.getProtocol() ?? 'TLS')
  } catch (cause) {
    const code = codeOf(cause)
    return fault('tls', `no secure connection to ${host} (${code})`, {
      advice: adviceFor(code),
      exitCode: EXIT.noAnswer,
    })
  } finally {
    socket.destroy()
  }
}

function certificateCheck({ issuer, valid_to }: PeerCertificate, protocol: string): Check {
  const ends = new Date(valid_to)
  const until = Number.isNaN(ends.getTime()) ? valid_to : ends.toISOString().slice(0, 10)
  const by = issuer?.O ?? issuer?.CN ?? 'an unnamed authority'
  const message = `${protocol}, with a certificate of ${by} until ${until}`
  const days = (ends.getTime() - Date.now()) / DAY_MS
  return days < SOON_DAYS
    ? warning('tls', message, 'it ends soon: whoever runs the server has to renew it')
    : ok('tls', message)
}

function adviceFor(code: string): string {
  if (code === 'TIMEOUT') return 'it took the connection and says nothing: is this the port of https?'
  if (code === 'CERT_HAS_EXPIRED')
    return 'the certificate has ended: whoever runs the server has to renew it; check the clock of this machine, too'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate is for another name: check the host of the base URL'
  if (/CERT|^UNABLE_TO_|SELF_SIGNED/.test(code))
    return "give the authority's certificate with --ca-file, if you trust it"
  return 'it does not speak TLS there: is it an http:// address, or another port?'
}
