import Model

extension Contract {
    private static let painter = TestApp("alpha", backgroundModes: .fetch)

    /// It is called for a fetch, and does this before it says that it is done.
    private static func fetch(
        _ device: any ContractDevice, _ deeds: Deed...
    ) throws(Breach) {
        _ = try device.begin(.fetch("alpha", launches: false), waits: true)
        try device.awaitCall(.performFetch, of: "alpha")
        for deed in deeds { try device.order("alpha", deed) }
        do throws(Breach) {
            try device.order("alpha", .complete(.fetch, .newData))
        } catch {
            // The system may have noticed the drawing already and ended the app.
            let isGone = try device.look(at: "alpha").pid == nil
            guard isGone, !deeds.isEmpty else { throw error }
        }
    }

    static let gpu = [
        Contract("Who uses the GPU when it is woken for a moment ends before it is suspended again") {
            device throws(Breach) in
            try device.suspend(painter)
            // Nothing of the moment in which it left the screen counts.
            try device.pass(.milliseconds(600))
            try fetch(device, .draw)
            try device.awaitEnd(of: "alpha")
            try device.expectCount(.suspended, of: "alpha", 1)
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "GREENROOM", code: 0x0ff5_c2ee),
                saying: ["created a context on the GPU"])
        },
        Contract("A launch into the background has nothing of the GPU to begin with") { device throws(Breach) in
            try device.install(painter)
            try fetch(device, .draw)
            try device.awaitEnd(of: "alpha")
            try device.expectCount(.suspended, of: "alpha", 0)
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "GREENROOM", code: 0x0ff5_c2ee), saying: ["GPU"])
        },
        Contract("On screen the GPU is an app's own, and a wake without it is no offence") { device throws(Breach) in
            try device.start(painter)
            try device.order("alpha", .draw)
            // Orders are obeyed one after another: when it does the next one, it has drawn.
            try device.order("alpha", .canOpenURL("nobody:here"))
            try device.wait(for: "alpha to have drawn") { () throws(Breach) in
                try device.answer(heardBy: "alpha") == false
            }
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.pass(.milliseconds(600))
            try fetch(device)
            try device.awaitEvent(.windowCompleted, of: "alpha")
            try device.awaitSuspension(of: "alpha")
            try device.expectNoReport(about: "alpha")
        },
    ]
}
