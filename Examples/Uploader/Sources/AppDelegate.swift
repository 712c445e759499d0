import UIKit

/// Uploads the photos of its folder, each exactly once, whatever becomes of the app: the example of WWDC 2010, session
/// 109, with a real server.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let uploads = UploadQueue(folder: AppDelegate.documents, server: Server(port: 8090))
    private static var documents: URL {
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory()).appending(path: "Documents")
    }

    private var task = UIBackgroundTaskIdentifier.invalid

    func applicationDidBecomeActive(_ application: UIApplication) { uploadPhotos(application) }

    /// What began on screen is finished in the background, if its time suffices; else it is paused, and goes on later.
    private func uploadPhotos(_ application: UIApplication) {
        if task == .invalid {
            task = application.beginBackgroundTask(withName: "upload photos") { [uploads] in
                // Perhaps on another thread, and with little time: the pause is waited for by whoever ends the task.
                print("· paused: the time is over")
                uploads.pause()
            }
        }
        uploads.resume { [weak self] in
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.finished(application) } }
        }
    }

    /// Everything is there, or the upload was paused.
    private func finished(_ application: UIApplication) {
        application.endBackgroundTask(task)
        task = .invalid
        // It was opened again while the pause was on its way.
        if application.applicationState == .active, !uploads.isFinished { uploadPhotos(application) }
    }
}
