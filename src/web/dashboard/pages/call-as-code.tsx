import { useEffect, useState } from 'preact/hooks'
import { call, messageOf } from '../state/api.ts'
import { Command } from '../ui/badge.tsx'

/** A call of the merchant API as text that runs where it is pasted. */

export interface ShownCall {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Where the API is, and who calls it: a merchant with keys, or somebody with the token of the control surface. */
export type Caller = KeyHolder | TokenHolder

interface KeyHolder {
  readonly url: string
  readonly publicKey: string
  readonly secretKey: string
}

interface TokenHolder {
  readonly url: string
  /** The environment variable that has it. */
  readonly tokenIn: string
}

/** Read only when it is needed, because it has the secret key. */
export async function callerOf(account: string): Promise<KeyHolder> {
  const [{ data }, document] = await Promise.all([
    call('GET /accounts/:account/keys', { params: { account } }),
    call('GET /openapi.json'),
  ])
  const [keys] = data
  if (!keys) throw new Error('The account has no keys')
  const [server] = document.servers as { readonly url: string }[]
  return { url: server?.url ?? '', publicKey: keys.public_key, secretKey: keys.secret_key }
}

export const LANGUAGES = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
  ['php', 'PHP'],
] as const
export type Language = (typeof LANGUAGES)[number][0]

export const codeOf = (language: Language, shown: ShownCall, caller: Caller): string =>
  WRITERS[language](shown, caller)

const pairOf = ({ publicKey, secretKey }: KeyHolder) => `${publicKey}:${secretKey}`

/** For a POSIX shell, and for PHP with its own escapes. */
const quoted = (text: string, asQuote = "'\\''") => `'${text.replaceAll("'", asQuote)}'`
const phpText = (text: string) => quoted(text.replaceAll('\\', '\\\\'), "\\'")
/** A string of JSON is one of JavaScript and of Python too. */
const json = JSON.stringify

const WRITERS: { readonly [L in Language]: (shown: ShownCall, caller: Caller) => string } = {
  curl: ({ method, path, headers, body }, caller) => {
    const { url } = caller
    // An upload has a boundary of its own each time.
    const isForm = /^multipart\/form-data/i.test(headers['content-type'] ?? '')
    const sent = Object.entries(headers).filter(([name]) => !(isForm && name === 'content-type'))
    const verb = method === 'HEAD' ? ' --head' : method === 'GET' && body === null ? '' : ` -X ${method}`
    return [
      // In a path, curl would take brackets for a pattern, and would resolve dots.
      `curl${/[[\]{}]/.test(path) ? ' -g' : ''}${/\/\.\.?(\/|$)/.test(path) ? ' --path-as-is' : ''}${verb} ${quoted(url + path)}`,
      'tokenIn' in caller ? `-H "Authorization: Bearer $${caller.tokenIn}"` : `-u ${quoted(pairOf(caller))}`,
      ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
      ...(isForm ? ["-F 'file=@receipt.png'"] : []),
      ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
    ].join(' \\\n  ')
  },
  javascript: ({ method, path, headers, body }, caller) =>
    `const response = await fetch(${json(caller.url + path)}, {
  method: ${json(method)},
  headers: {
    authorization: ${'tokenIn' in caller ? `'Bearer ' + process.env.${caller.tokenIn}` : `'Basic ' + btoa(${json(pairOf(caller))})`},
${Object.entries(headers)
  .map(([name, value]) => `    ${json(name)}: ${json(value)},\n`)
  .join('')}  },
${body === null ? '' : `  body: ${json(body)},\n`}})
console.log(response.status, await response.text())`,
  python: ({ method, path, headers, body }, caller) =>
    `import ${'tokenIn' in caller ? 'os' : 'base64'}, urllib.error, urllib.request

request = urllib.request.Request(
    ${json(caller.url + path)},
    method=${json(method)},
    headers={
        "Authorization": ${'tokenIn' in caller ? `"Bearer " + os.environ[${json(caller.tokenIn)}]` : `"Basic " + base64.b64encode(b${json(pairOf(caller))}).decode()`},
${Object.entries(headers)
  .map(([name, value]) => `        ${json(name)}: ${json(value)},\n`)
  .join('')}    },
${body === null ? '' : `    data=${json(body)}.encode(),\n`})
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as refused:
    response = refused
print(response.status, response.read().decode())`,
  php: ({ method, path, headers, body }, caller) =>
    `<?php
$call = curl_init(${phpText(caller.url + path)});
curl_setopt_array($call, [
    CURLOPT_CUSTOMREQUEST => ${phpText(method)},
${'tokenIn' in caller ? '' : `    CURLOPT_USERPWD => ${phpText(pairOf(caller))},\n`}    CURLOPT_HTTPHEADER => [
${'tokenIn' in caller ? `        'Authorization: Bearer ' . getenv(${phpText(caller.tokenIn)}),\n` : ''}${Object.entries(
  headers,
)
  .map(([name, value]) => `        ${phpText(`${name}: ${value}`)},\n`)
  .join('')}    ],
${body === null ? '' : `    CURLOPT_POSTFIELDS => ${phpText(body)},\n`}    CURLOPT_RETURNTRANSFER => true,
]);
$answer = curl_exec($call);
echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), ' ', $answer, PHP_EOL;`,
}

const FIRST = {
  method: 'POST',
  path: '/payment_intents',
  headers: { 'content-type': 'application/json' },
  body: `{
  "amount": "10000", "currency": "THB", "country": "TH",
  "merchant_reference": "order-1", "customer": {"name": "Somchai"},
  "return_url": "https://shop.example/thanks"
}`,
}

/** A command for the first payment, which runs where it is pasted. The secret key is only in what is copied. */
export function FirstPayment({ account }: { account: string }) {
  const [caller, setCaller] = useState<KeyHolder>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    callerOf(account).then(setCaller, error => setProblem(messageOf(error)))
  }, [account])
  if (problem !== '') return <p class="problem">{problem}</p>
  if (!caller) return <p class="loading">Loading…</p>
  return (
    <Command
      text={codeOf('curl', FIRST, { ...caller, secretKey: '••••••' })}
      copies={codeOf('curl', FIRST, caller)}
    />
  )
}
