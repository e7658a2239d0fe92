import type { Reply } from '../http/reply.ts'
import { Html, html } from './html.ts'

/** What the pages load and may do: their own style, their own forms, an image of their own. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function sendPage(reply: Reply, status: number, title: string, body: Html): Reply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    .send(layout(title, body).text)
}

const layout = (title: string, body: Html) => html`${DOCTYPE}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/checkout/style.css">
</head>
<body><main>
<h1>${title}</h1>
${body}
</main></body>
</html>`

const DOCTYPE = new Html('<!doctype html>')

export const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;padding:1rem}
main{max-width:28rem;margin:0 auto}
h1{font-size:1.4rem}
form{margin:1rem 0}
fieldset{border:1px solid #8886;border-radius:.5rem;margin:0 0 1rem;padding:.75rem 1rem}
label{display:block;margin:.5rem 0}
input,select{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.4rem}
button{font:inherit;padding:.5rem 1rem}
img{display:block;width:100%;max-width:16rem;image-rendering:pixelated;background:#fff}
dt{font-weight:600}
dd{margin:0 0 .5rem;overflow-wrap:anywhere}
.simulator{border-top:1px dashed #8886;margin-top:2rem;font-size:.9rem}
`
