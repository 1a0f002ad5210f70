import type { PendingApproval } from '../transport/answers'
import type { Notice, Notifying } from '../transport/transport'
import { Cell } from './cell'
import { recall, remember } from './remembered'
import { labelOf } from './rows'

/** absent: there are none here; blocked: the browser was told not to show this page's. */
export type NotificationState = 'absent' | 'off' | 'on' | 'blocked'

const choice = 'notifications'

/** Notifications of the desktop, where they exist and while the person wants them. */
export class Notifications {
  readonly state: Cell<NotificationState>
  readonly #means: Notifying | undefined

  constructor(means: Notifying | undefined) {
    this.#means = means
    this.state = new Cell(this.#now())
  }

  /** Switches them on; a browser asks the person first. */
  async switchOn(): Promise<void> {
    if (!this.#means) return
    if (this.#means.permission() === 'default') await this.#means.ask()
    remember(choice, 'on')
    this.state.set(this.#now())
  }

  switchOff(): void {
    remember(choice, 'off')
    this.state.set(this.#now())
  }

  show(notice: Notice): void {
    if (this.#now() === 'on') this.#means?.show(notice)
  }

  #now(): NotificationState {
    if (!this.#means) return 'absent'
    const permission = this.#means.permission()
    if (permission === 'denied') return 'blocked'
    const wanted = recall(choice) ?? (this.#means.onAtFirst ? 'on' : 'off')
    return wanted === 'on' && permission === 'granted' ? 'on' : 'off'
  }
}

/** Tells what began to wait since it last looked. What waits at the first look is not new. */
export class Arrivals {
  #known: Set<string> | undefined

  look(approvals: readonly PendingApproval[]): PendingApproval[] {
    const known = this.#known
    this.#known = new Set(approvals.map((each) => each.approvalId))
    return known ? approvals.filter((each) => !known.has(each.approvalId)) : []
  }
}

/** What a notification says of calls that wait: where and which tools, never with what arguments. */
export function waitingNotice(calls: readonly PendingApproval[], title: string, onClick: () => void): Notice {
  const labels = [...new Set(calls.map(labelOf))].join(', ')
  const tag = calls.map((each) => each.approvalId).join(' ')
  return { title: title || 'Callboard', body: `Needs approval: ${labels}`, tag, onClick }
}
