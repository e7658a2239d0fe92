import type { Payment } from '../../domain/model.ts'
import type { Reply } from '../http/reply.ts'
import { assetUrl } from '../static-files.ts'
import { inLanguage, LANGUAGES, type Words } from './words/language.ts'

/** Text that is already HTML. All other values in a page are escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | false | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, at) => text + render(parts[at - 1] ?? '') + string))
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === null || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return escapeHtml(String(part))
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character)

/**
 * An address in an attribute, with the fewest changes that HTML needs: a plain `&name=` is valid there, so a query
 * string stays byte for byte the same.
 */
function hrefOf(url: string): Html {
  return new Html(url.replace(/&(?![A-Za-z0-9]+=)|[<>"]/g, character => ESCAPES[character] ?? character))
}

/** A plain link to the merchant's return_url, which does not contain the status of the payment. */
export const backToShop = (
  { returnUrl }: Payment,
  words: Words,
  look: 'primary' | 'secondary' = 'secondary',
): Html | string =>
  returnUrl === null ? '' : html`<a class="${look}" href="${hrefOf(returnUrl)}">${words.backToShop}</a>`

/** What a page may load: its own style and script, its own forms, and images of its own or of the payer. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The preview of a receipt is a local file of the payer, which is not uploaded yet.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The layout of all pages. */
export interface Sheet {
  readonly look: 'checkout' | 'bank' | 'notice'
  /** The title of the window; the heading is in `main`. */
  readonly title: string
  /** The band at the top, or at the left on wide screens. */
  readonly header: Html
  readonly main: Html
  readonly aside?: Html
  /** The address for updates while the payment may still change. */
  readonly live?: Live
  /** Whether the page reloads automatically without scripts: only if it has no input fields. */
  readonly waits?: boolean
}

export interface Live {
  readonly url: string
  /** A version of what is shown; another version means that the page must be reloaded. */
  readonly shown: string
  /** The account's time, and its speed relative to wall time: 0 stands still. */
  readonly now: number
  readonly rate: number
}

export function sendPage(reply: Reply, status: number, words: Words, path: string, sheet: Sheet): Reply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-language': words.lang,
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    })
    .send(layout(words, path, sheet).text)
}

function layout(words: Words, path: string, { look, title, header, main, aside, live, waits }: Sheet): Html {
  const { url, shown, now, rate } = live ?? {}
  const listening = html` data-live="${url ?? ''}" data-shown="${shown ?? ''}" data-now="${now ?? ''}" data-rate="${rate ?? ''}"`
  return html`${DOCTYPE}
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('style.css')}">
<script type="module" src="${assetUrl('main.js')}"></script>
${waits ? html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>` : ''}
</head>
<body>
<div class="page ${look}" data-page lang="${words.lang}"${live ? listening : ''}>
<header class="band"><div class="inner">
${languageSwitch(words, path)}
${header}
</div></header>
<main class="stage">
${main}
${live ? checkAgain(words, path) : ''}
</main>
${aside ?? ''}
<footer class="foot">${words.simulatedFooter}</footer>
</div>
<div class="unseen" role="status" data-announcer></div>
</body>
</html>`
}

const DOCTYPE = new Html('<!doctype html>')
const REFRESH_SECONDS = 10

/** A link to reload the page without a script. With a script, a message if the connection is lost. */
const checkAgain = (words: Words, path: string) =>
  html`<noscript><p class="again"><a href="${path}">${words.checkAgain}</a></p></noscript>
<p class="connection" data-connection hidden>${words.connectionLost}</p>`

function languageSwitch({ lang: current, chooseLanguage }: Words, path: string): Html {
  const links = LANGUAGES.map(({ lang, languageName }) => {
    const here = lang === current ? new Html(' aria-current="true"') : ''
    return html`<a href="${inLanguage(path, lang)}" lang="${lang}" hreflang="${lang}"${here}>${languageName}</a>`
  })
  return html`<nav class="languages" aria-label="${chooseLanguage}">${links}</nav>`
}

/** Inline icons, so that a page loads no extra files. They are decoration: the text next to them says the same. */
const SHAPES = {
  bank: '<path d="M3 10 12 4l9 6M5 10v8M10 10v8M14 10v8M19 10v8M3 20h18"/>',
  qr: '<path d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 14v2h-2M14 20h2v-2M20 18v2h-2"/>',
  phone: '<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>',
  chevron: '<path d="m9 6 6 6-6 6"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  cross: '<path d="M7 7l10 10M17 7 7 17"/>',
  clock: '<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>',
  stop: '<circle cx="12" cy="12" r="8.5"/><path d="M6 6l12 12"/>',
  link: '<path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m20 20-4-4"/>',
  image:
    '<rect x="4" y="4" width="16" height="16" rx="2"/><path d="m4 16 4.5-4.5L14 17l2.5-2.5L20 18"/><circle cx="15" cy="9" r="1.5"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
} as const

export type Icon = keyof typeof SHAPES

export const icon = (name: Icon) =>
  new Html(
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">${SHAPES[name]}</svg>`,
  )
