/** Keys and webhook secrets, wherever they are. */
export const TOKEN = /(whsec_|sk_live_|sk_test_)[\w+/=-]+/

/**
 * A webhook secret: 24 to 64 bytes in base64, with its padding. The last letter before the padding has bits that no byte
 * uses, and a strict reader refuses them unless they are 0.
 */
export const WEBHOOK_SECRET =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?|(?:[A-Za-z0-9+/]{4}){8,21}[A-Za-z0-9+/][AQgw]==)$/

/**
 * Whether a parameter with this name may open something. The server reads `signature` and `code`; the others are what
 * clients send in a URL by mistake. It is better to mask too much, so a part of a name is enough.
 */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

const SECRET_NAME = /signature|token|secret|password|(?:^|[^a-z])(?:code|sig|auth|authorization)(?:[^a-z]|$)/i

/** Found in every text that may have something to mask; cheap, because it looks at every address and line of a log. */
export const NEEDS_A_LOOK = /%|whsec_|sk_live_|sk_test_|token|secret|password|code|sig|auth/i
