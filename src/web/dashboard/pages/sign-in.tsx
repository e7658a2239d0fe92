import { useState } from 'preact/hooks'
import { messageOf, signIn } from '../state/api.ts'
import { place } from '../state/router.ts'
import { Button } from '../ui/button.tsx'
import { Command } from '../ui/copy.tsx'
import { Field } from '../ui/field.tsx'

/** Two ways to sign in. */
export function SignIn() {
  const [token, setToken] = useState('')
  const [error, setError] = useState<string>()
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await signIn(token.trim())
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <img src="/_paysim/dashboard/assets/icon.svg" alt="" width={36} height={36} />
        <h1>Sign in to paysim</h1>
        {place.value.query.get('link') === 'used' && (
          <p class="notice" role="alert">
            This link has been used or has expired. Each link works once.
          </p>
        )}
        <p>The server prints a sign-in link when it starts. For another link, run</p>
        <Command text="paysim sim dashboard" />
        <p>or start the server with</p>
        <Command text="paysim serve --open" />
        <form onSubmit={submit}>
          <Field
            label="Or paste the control token"
            type="password"
            value={token}
            onInput={setToken}
            required
            hint="It is in the terminal next to “control”, and in server.json in the data directory."
            problem={error}
          />
          <Button submit tone="primary">
            Sign in
          </Button>
        </form>
      </div>
    </main>
  )
}
