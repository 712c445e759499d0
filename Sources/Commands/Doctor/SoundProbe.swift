internal import AudioModel
internal import AudioWire
internal import Wire

/// Whether anything is to be heard: PipeWire takes what apps play to the devices.
struct SoundProbe {
    private static let mechanism = "sound server"
    private static let instead = "apps play, and nothing sounds; audio is no reason to run in the background"
    private static let cost = "no sound: install pipewire and wireplumber, and start them before the system"

    let context: CommandContext

    /// - Parameter isUp: a system runs, whose service knows.
    func finding(isUp: Bool) -> DoctorFinding {
        guard isUp, let answer = try? context.ask(.audio, AudioToolMethod.status.rawValue),
            let status = try? AudioStatusInfo(json: answer)
        else { return withoutService }
        guard status.engine else { return missing("PipeWire does not answer") }
        guard status.sessionManager else { return missing("PipeWire runs without WirePlumber, which sets devices up") }
        let outputs = status.ports.filter { !$0.kind.isInput }.map(\.name)
        let devices = outputs.isEmpty ? "without a device to play on" : "plays on \(outputs.joined(separator: ", "))"
        return DoctorFinding(mechanism: Self.mechanism, status: .ok, detail: "PipeWire \(devices)")
    }

    /// Without a system only the way to one can be seen.
    private var withoutService: DoctorFinding {
        let environment = context.environment
        let folder = environment["PIPEWIRE_RUNTIME_DIR"] ?? environment["XDG_RUNTIME_DIR"] ?? ""
        let socket = "\(folder)/\(environment["PIPEWIRE_REMOTE"] ?? "pipewire-0")"
        guard !folder.isEmpty, Files.isSocket(socket) else { return missing("there is no socket of PipeWire") }
        return DoctorFinding(
            mechanism: Self.mechanism, status: .ok,
            detail: "PipeWire's socket is \(socket); greenroom audio says more while a system runs")
    }

    private func missing(_ detail: String) -> DoctorFinding {
        DoctorFinding(
            mechanism: Self.mechanism, status: .missing, detail: detail, instead: Self.instead, cost: Self.cost)
    }
}
