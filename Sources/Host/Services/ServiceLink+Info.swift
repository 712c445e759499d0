internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

extension ServiceLink {
    /// For `greenroom services`.
    var info: ServiceInfo {
        let state =
            connection != nil ? "running" : process.isStarting || process.present != nil ? "starting" : "idle"
        let holds = (known?.holds ?? []).compactMap { hold -> ServiceInfo.Hold? in
            guard let app = host.system.app(hold.incarnation.app) else { return nil }
            let kind = service.declaration.holds[Int(hold.kind)]
            let assertion = hold.assertion.flatMap { id in app.heldAssertions.first { $0.id == id } }
            return ServiceInfo.Hold(
                app: app.manifest.identifier.rawValue, hold: kind.name, because: assertion?.reason ?? kind.sentence,
                counts: assertion != nil)
        }
        return ServiceInfo(
            service: name, state: state == "idle" && !holds.isEmpty ? "away" : state,
            pid: process.present.map { Int($0.pid) }, program: service.program,
            mode: service.declaration.mode.keys.first, holds: holds, trouble: trouble)
    }
}

extension RPCError {
    init(_ refusal: ServiceRefusal) {
        switch refusal {
        case .unknownService, .unknownApp, .processGone: self.init(.unknown, refusal.sentence)
        case .undeclared, .missingMode, .notHeld, .notWoken, .notOpened: self.init(.refused, refusal.sentence)
        }
    }
}
