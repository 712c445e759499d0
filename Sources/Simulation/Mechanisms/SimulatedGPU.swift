internal import Model
internal import PolicyCore

/// What the daemon knows of an app's use of the GPU while it is in the background.
struct GPUVisit {
    /// Pictures that it may have drawn without offence.
    var allowed: Int
    /// Until then the GPU may still be busy with what it was given on screen.
    var settlesAt: Instant
    /// Since when it has drawn more.
    var offence: Instant?
}

// What apps do with the GPU, and what the host sees of it when it looks.
extension Device {
    /// It draws a picture, in the one context that it has.
    func useGPU(_ place: Int) {
        guard let process = apps[place].process else { return }
        apps[place].process?.gpuUses += 1
        guard var visit = process.gpuVisit, state(place) == .background, visit.offence == nil else { return }
        if process.gpuUses > 0, now < visit.settlesAt {
            // It cannot be told from what was begun before.
            visit.allowed += 1
        } else {
            visit.offence = now
        }
        apps[place].process?.gpuVisit = visit
    }

    /// It is in the background, and its delegate knows: what it has now is no offence. A launch into the background has
    /// nothing to begin with.
    func beginGPUVisit(_ place: Int, isBirth: Bool = false) {
        guard let process = apps[place].process, !process.isPlain, process.gpuVisit == nil else { return }
        let settling = isBirth ? .zero : GPU.settling
        apps[place].process?.gpuVisit = GPUVisit(allowed: process.gpuUses, settlesAt: now + settling)
    }

    func lookAtGPU(_ place: Int) {
        guard let process = apps[place].process, !process.isPlain, !process.isGone, state(place) == .background,
            let visit = process.gpuVisit, process.gpuUses > visit.allowed
        else { return }
        let use = GPUUse(visit.allowed == 0 ? .context : .commands, driver: "simulated")
        send(.gpu(.used(use)), of: place)
    }

    /// It is on its way to the screen, where the GPU is its own.
    func forgetGPU(_ place: Int) { apps[place].process?.gpuVisit = nil }
}
