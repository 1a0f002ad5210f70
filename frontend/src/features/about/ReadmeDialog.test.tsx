import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import ReadmeDialog from './ReadmeDialog'

it('shows the README without its picture', async () => {
  render(<ReadmeDialog onClose={() => undefined} />)
  expect(await screen.findByRole('heading', { name: 'Use it with a model' })).toBeTruthy()
  expect(screen.queryByText(/screenshot/)).toBeNull()
})
