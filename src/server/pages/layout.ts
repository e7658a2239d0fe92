import type { Reply } from '../http/reply.ts'
import { assetUrl } from './assets.ts'
import { Html, html } from './html.ts'
import { inLanguage, LANGUAGES, type Words } from './words/language.ts'

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
