internal import Model
internal import PolicyCore

// Who uses the GPU in the background is ended for it, and nobody else is.
extension Checkers {
    /// Looks are five seconds apart, and as long as the main thread is late with its answer there is none.
    private static let patience = Span.seconds(60)

    func checkGPUEnd(_ place: Int, _ reason: EndReason, _ device: Device) {
        guard case .usedGPU = reason, let process = device.apps[place].process else { return }
        let name = device.apps[place].script.name
        if process.isPlain { device.violate("\(name) knows no rules, and is ended for using the GPU") }
        if process.gpuVisit?.offence == nil { device.violate("\(name) is ended for the GPU, and did not use it") }
    }

    func checkGPU(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        guard let since = process.gpuVisit?.offence, !process.isPlain, watches[place].killed == nil,
            !process.manners.isTraced
        else { return }
        let name = device.apps[place].script.name
        if device.state(place) == .suspended {
            device.violate("\(name) used the GPU in the background, and is suspended instead of ended")
        }
        guard process.isConnected, device.state(place) == .background, process.freezer == .running,
            watches[place].awaited.isEmpty, process.manners.canFreeze
        else { return }
        if device.now - since > Self.patience { device.violate("\(name) goes on using the GPU in the background") }
    }
}
