/** Keys and webhook secrets, wherever they are. */
export const TOKEN = /(whsec_|sk_live_|sk_test_)[\w+/=-]+/

/**
 * Whether a parameter with this name may open something. The server reads `signature` and `code`; the others are what
 * clients send in a URL by mistake. It is better to mask too much, so a part of a name is enough.
 */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

const SECRET_NAME = /signature|token|secret|password|(?:^|[^a-z])(?:code|sig|auth|authorization)(?:[^a-z]|$)/i

/** Found in every text that may have something to mask; cheap, because it looks at every address and line of a log. */
export const NEEDS_A_LOOK = /%|whsec_|sk_live_|sk_test_|token|secret|password|code|sig|auth/i
