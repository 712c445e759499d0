internal import LinuxSystem
internal import Wire

/// By what means it is seen what apps move over the network (docs/FETCH.md).
struct TrafficProbe {
    private static let mechanism = "traffic of apps"
    /// `nil`: there is none.
    let group: Cgroup?

    func finding() -> DoctorFinding {
        guard CurrentProcess.environment("GREENROOM_TRAFFIC") != "connections" else {
            return connections("GREENROOM_TRAFFIC=connections")
        }
        guard let group else { return connections("needs a cgroup") }
        do throws(SystemError) {
            _ = try TrafficProgram(within: group.directory).count(group.directory).read()
            return DoctorFinding(
                mechanism: Self.mechanism, status: .ok,
                detail: "a program in the kernel (BPF) counts the bytes of each app's cgroup")
        } catch {
            return connections("no program can be loaded into the kernel: \(error)")
        }
    }

    private func connections(_ detail: String) -> DoctorFinding {
        do throws(SystemError) {
            _ = try TCPConnections.all()
        } catch {
            return DoctorFinding(
                mechanism: Self.mechanism, status: .missing, detail: "\(detail), and sock_diag fails: \(error)",
                cost: "only what Greenroom's services move is known: greenroom energy shows nothing of other traffic")
        }
        return DoctorFinding(
            mechanism: Self.mechanism, status: .replaced, detail: detail,
            instead: "the kernel is asked for each app's TCP connections (sock_diag), every five seconds at least",
            cost: "what is not TCP is not counted, nor what a connection moved just before it was closed")
    }
}
