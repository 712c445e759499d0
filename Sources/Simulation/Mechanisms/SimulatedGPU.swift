internal import Model
internal import PolicyCore

// What apps do with the GPU, and what the host sees of it when it looks.
extension Device {
    /// It draws a picture, in the one context that it has.
    func useGPU(_ place: Int) {
        guard let process = apps[place].process else { return }
        apps[place].process?.gpuUses += 1
        let isNoted = process.gpuBaseline != nil && state(place) == .background
        if isNoted, process.gpuOffence == nil { apps[place].process?.gpuOffence = now }
    }

    /// The first look in the background says what is there, a later one whether something is new.
    func lookAtGPU(_ place: Int) {
        guard let process = apps[place].process, !process.isPlain, !process.isGone, state(place) == .background else {
            return
        }
        guard let before = process.gpuBaseline else {
            apps[place].process?.gpuBaseline = process.gpuUses
            apps[place].process?.gpuOffence = nil
            return
        }
        guard process.gpuUses > before else { return }
        send(.gpu(.used(GPUUse(before == 0 ? .context : .commands, driver: "simulated"))), of: place)
    }

    /// It is on its way to the screen, where the GPU is its own.
    func forgetGPU(_ place: Int) {
        apps[place].process?.gpuBaseline = nil
        apps[place].process?.gpuOffence = nil
    }
}
