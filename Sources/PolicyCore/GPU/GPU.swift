internal import Model

// The GPU belongs to what is on screen (R10): an app that uses it in the background ends, whatever lets it run there. A
// plain program knows no rules, and the user who exempted it may want just that. What was begun before
// `didEnterBackground` returned is no offence, nor is a context that is merely there: the host tells what is new.
extension System {
    mutating func gpuUsed(_ app: AppIndex, _ generation: Generation, _ use: GPUUse) {
        guard let i = current(app, generation), apps[i].ending == nil, !apps[i].isPlain, apps[i].process == .alive,
            apps[i].state == .background, presence(i) == .hidden
        else { return }
        end(i, .usedGPU(use))
    }
}
