import type { RequestDetail } from '../../../contract/control/journal.ts'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a curl command. Keys are not stored, so it reads them from the shell. */
export function curlOf({ method, path, request }: RequestDetail): string {
  const headers = Object.entries(request?.headers ?? {}).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  )
  const parts = [
    `curl -X ${method} "$API"${quoted(path)}`,
    '-u "$KEYS"',
    ...headers,
    ...(request?.body ? [`-d ${quoted(request.body)}`] : []),
  ]
  return parts.join(' \\\n  ')
}
