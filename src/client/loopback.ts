/** Whether a host, in the form of `URL.hostname`, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])\.?$/i.test(hostname)
}
