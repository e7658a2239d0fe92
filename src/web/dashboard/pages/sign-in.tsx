import { useState } from 'preact/hooks'
import { messageOf, signIn } from '../state/api.ts'
import { place } from '../state/router.ts'
import { Button } from '../ui/button.tsx'
import { Command } from '../ui/copy.tsx'
import { Field } from '../ui/field.tsx'

/** For whoever comes without a session: two ways to get one. */
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
            That link was used before, or has expired. Each one works once.
          </p>
        )}
        <p>A link that signs you in is printed by the server as it starts. For another one, run</p>
        <Command text="paysim sim dashboard" />
        <p>or start the server with</p>
        <Command text="paysim serve --open" />
        <form onSubmit={submit}>
          <Field
            label="Or paste its control token"
            type="password"
            value={token}
            onInput={setToken}
            required
            hint="The terminal shows it beside “control”; so does server.json in the data directory."
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
