internal import LinuxSystem

extension Measurement {
    /// One system that grows, so that what it has seen before is in its log and its journal.
    mutating func measureScale() throws {
        var scale = try Scale(RunningSystem(options, "scale"), place: options.place, rounds: options.isQuick ? 30 : 100)
        var first: Scale.Point?
        for size in options.sizes {
            say("\(size) apps")
            let point = try scale.measure(size)
            report.add(point.figures(first ?? point))
            first = first ?? point
        }
    }
}
