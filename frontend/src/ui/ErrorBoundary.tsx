import { Component, type ErrorInfo, type ReactNode } from 'react'

interface Props {
  /** What failed, in the sentence "… could not be drawn". */
  what: string
  /** The fault is forgotten when this changes. */
  resetKey?: string | number
  children: ReactNode
}

interface State {
  fault?: Error
}

/** Keeps a component's fault where it happened: what cannot be drawn says so, and the rest lives on. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = {}

  static getDerivedStateFromError(cause: unknown): State {
    return { fault: cause instanceof Error ? cause : new Error(String(cause)) }
  }

  override componentDidCatch(cause: Error, info: ErrorInfo): void {
    console.error(`${this.props.what} could not be drawn`, cause, info.componentStack)
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.fault && before.resetKey !== this.props.resetKey) this.setState({ fault: undefined })
  }

  override render(): ReactNode {
    if (!this.state.fault) return this.props.children
    return (
      <p role="note" className="my-1 rounded-block border border-border px-3 py-2 text-small text-err">
        {this.props.what} could not be drawn: {this.state.fault.message}
      </p>
    )
  }
}
