import type { ComponentChildren } from 'preact'
import { useErrorBoundary, useLayoutEffect } from 'preact/hooks'
import { messageOf } from '../state/api.ts'
import { addressOf, place } from '../state/router.ts'
import { Button, LinkButton } from './button.tsx'

/** If a component throws, shows the error in its place. Another URL tries again. */
export function Boundary({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary(thrown => console.error(thrown))
  const here = place.value
  useLayoutEffect(() => {
    if (error !== undefined) reset()
  }, [here])
  return error === undefined ? <>{children}</> : <Broken error={error} onTryAgain={reset} />
}

function Broken({ error, onTryAgain }: { error: unknown; onTryAgain: () => void }) {
  const { account } = place.value
  return (
    <div class="empty" role="alert">
      <h1>This page could not be displayed</h1>
      <p>The server sent data that this page does not expect. The other pages still work.</p>
      <p>
        <code>{messageOf(error)}</code>
      </p>
      <div class="row-wrap centred">
        <Button tone="primary" onPress={onTryAgain}>
          Try again
        </Button>
        {account !== null && (
          <LinkButton href={addressOf(account, 'overview')}>Go to the overview</LinkButton>
        )}
      </div>
    </div>
  )
}
