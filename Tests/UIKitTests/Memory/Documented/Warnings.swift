import UIKit

final class AlbumDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private(set) var thumbnails: [Data] = []
    private(set) var searchIndex: [String] = ["lake", "kayak"]
    private var pressure: (any DispatchSourceMemoryPressure)?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        thumbnails = (0..<20).map { Data(repeating: $0, count: 10_000) }
        // For code that knows nothing of the delegate. Hold the source.
        let pressure = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .main)
        pressure.setEventHandler { [weak self] in self?.searchIndex = [] }
        pressure.activate()
        self.pressure = pressure
        return true
    }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        thumbnails = []
    }
}
